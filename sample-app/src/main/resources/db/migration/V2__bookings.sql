CREATE TABLE booking (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    account text NOT NULL,
    amount int NOT NULL
);

CREATE INDEX ON booking (account, id);
