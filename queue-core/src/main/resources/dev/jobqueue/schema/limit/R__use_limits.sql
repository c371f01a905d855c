-- Which limits jobs have that are published from now on: those of a type, or those in a queue, one of them NULL. They
-- replace the ones set before; none, if there are no names. keys by limit: a path in the payload (account.id), a header
-- (header:tenant), or NULL for one key that all share. A value that is missing is the empty key. Returns as configure
-- does. What an operator has set, who is no owner, stays as it is when an owner sets something else.
CREATE OR REPLACE FUNCTION use_limits(
    type text, queue text, limits text[], keys text[] DEFAULT NULL, owner text DEFAULT NULL
) RETURNS text
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_variable
DECLARE
    bad text;
    known record;
    given constant jsonb := (SELECT jsonb_object_agg(g.name, g.key) FROM unnest(limits, keys) AS g (name, key)
        WHERE g.name IS NOT NULL);
BEGIN
    IF (type IS NULL) = (queue IS NULL) THEN
        PERFORM internal_invalid('type', type, 'must be given, or else a queue, and not both');
    ELSIF limits IS NULL OR cardinality(coalesce(keys, limits)) <> cardinality(limits) THEN
        PERFORM internal_invalid('keys', keys::text, 'must have as many elements as limits');
    ELSIF cardinality(limits) > 10 OR (SELECT count(DISTINCT n) < cardinality(limits) FROM unnest(limits) AS n) THEN
        PERFORM internal_invalid('limits', limits::text,
            'must name each limit once, at most 10 of them, and none null');
    END IF;
    PERFORM internal_check_name(CASE WHEN queue IS NULL THEN 'type' ELSE 'queue' END, coalesce(type, queue));
    SELECT k INTO bad FROM unnest(keys) AS k WHERE (length(k) BETWEEN 1 AND 200) IS FALSE OR k = 'header:' LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid('keys', bad,
            'must be a path in the payload (account.id), a header (header:tenant), or null');
    END IF;
    PERFORM internal_check_limits(limits);
    -- Nodes say which limits they use whenever they start, and must not wait then.
    known := internal_uses(type, queue);
    IF internal_keeps_uses(known.uses, known.owner, given, owner) THEN
        RETURN NULL;
    END IF;
    PERFORM internal_lock_uses();
    known := internal_uses(type, queue);
    IF internal_keeps_uses(known.uses, known.owner, given, owner) THEN
        RETURN NULL;
    END IF;
    DELETE FROM limit_use u WHERE u.type = use_limits.type OR u.queue = use_limits.queue;
    INSERT INTO limit_use (type, queue, name, key, owner)
    SELECT use_limits.type, use_limits.queue, g.name, g.key, use_limits.owner
    FROM unnest(limits, keys) AS g (name, key);
    RETURN CASE WHEN known.owner <> owner AND known.uses IS DISTINCT FROM given THEN known.owner END;
END
$$;

-- The limits of a type or queue with their keys, and who set them.
CREATE OR REPLACE FUNCTION internal_uses(of_type text, of_queue text, OUT uses jsonb, OUT owner text)
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
BEGIN
    SELECT jsonb_object_agg(u.name, u.key), min(u.owner) INTO internal_uses.uses, internal_uses.owner
    FROM limit_use u WHERE u.type = of_type OR u.queue = of_queue;
END
$$;

-- As internal_keeps_limit.
CREATE OR REPLACE FUNCTION internal_keeps_uses(known jsonb, known_owner text, given jsonb, owner text) RETURNS boolean
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN CASE WHEN known IS NOT DISTINCT FROM given
        THEN known IS NULL OR known_owner IS NOT NULL OR owner IS NULL
        ELSE known IS NOT NULL AND known_owner IS NULL AND owner IS NOT NULL END;
END
$$;

-- Locks all uses against others who change some. Readers, such as publishers, do not wait.
CREATE OR REPLACE FUNCTION internal_lock_uses() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT SET lock_timeout = '5s'
AS $$
BEGIN
    LOCK TABLE limit_use IN SHARE ROW EXCLUSIVE MODE;
EXCEPTION WHEN lock_not_available THEN
    RAISE EXCEPTION 'the table limit_use is locked for more than 5 seconds by the session %',
            (SELECT min(l.pid) FROM pg_locks l WHERE l.relation = 'limit_use'::regclass AND l.granted
                AND l.mode NOT IN ('AccessShareLock', 'RowShareLock'))
        USING ERRCODE = 'lock_not_available', HINT = 'A transaction that changed the limits of a type or queue is '
            'still open: end it and call again; nothing was written.';
END
$$;

-- Refuses names of limits that there are not (JQ422), and a second FIFO.
CREATE OR REPLACE FUNCTION internal_check_limits(names text[]) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    bad text := (SELECT n FROM unnest(names) AS n WHERE NOT EXISTS (SELECT FROM job_limit l WHERE l.name = n) LIMIT 1);
BEGIN
    IF bad IS NOT NULL THEN
        PERFORM internal_invalid('limits', bad, format('must be a limit that was set (%s)', coalesce(
            (SELECT string_agg(k.name, ', ') FROM (SELECT l.name FROM job_limit l ORDER BY l.name LIMIT 20) AS k),
            'there is none')));
    ELSIF (SELECT count(*) > 1 FROM job_limit l WHERE l.name = ANY (names) AND l.kind = 'FIFO') THEN
        PERFORM internal_invalid('limits', array_to_string(names, ', '), 'must have no more than one FIFO among them');
    END IF;
END
$$;

REVOKE ALL ON FUNCTION use_limits(text, text, text[], text[], text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_uses(text, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_keeps_uses(jsonb, text, jsonb, text) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_lock_uses() FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_check_limits(text[]) FROM PUBLIC;
