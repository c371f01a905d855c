CREATE TABLE orders (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    customer text NOT NULL,
    email text NOT NULL,
    total numeric(12, 2) NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE reservation (
    order_id bigint PRIMARY KEY REFERENCES orders,
    reserved_at timestamptz NOT NULL DEFAULT now()
);
