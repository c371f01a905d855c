CREATE TABLE IF NOT EXISTS orders (id bigserial PRIMARY KEY, email text NOT NULL UNIQUE, state text NOT NULL);
CREATE TABLE IF NOT EXISTS customers (id bigint PRIMARY KEY, name text NOT NULL, greetings int NOT NULL);
