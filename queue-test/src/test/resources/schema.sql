CREATE TABLE IF NOT EXISTS orders (id bigserial PRIMARY KEY, email text NOT NULL UNIQUE, state text NOT NULL);
