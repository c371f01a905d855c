-- One page of the batches and flows that match a filter, newest first: an object with kind, name, key, state, parent,
-- all of them texts and none needed. A last row without an id says where to go on, as in find_jobs; a page looks at no
-- more than 10,000 rows.
CREATE OR REPLACE FUNCTION find_flows(filter jsonb DEFAULT '{}', after text DEFAULT NULL, max int DEFAULT 50)
RETURNS TABLE (
    id uuid, kind text, name text, key text, state text, sealed boolean, cancelling boolean, round int, total bigint,
    done bigint, dead bigint, cancelled bigint, percent int, parent uuid, created_at timestamptz,
    finished_at timestamptz, problem text, cursor text
)
LANGUAGE plpgsql STABLE SECURITY DEFINER SET search_path FROM CURRENT
SET enable_seqscan = off SET enable_bitmapscan = off SET enable_sort = off SET jit = off
AS $$
#variable_conflict use_column
DECLARE
    known constant text[] := '{kind,name,key,state,parent}';
    place uuid;
    of_parent uuid;
    met record;
    looked int := 0;
    found int := 0;
BEGIN
    IF jsonb_typeof(filter) = 'object' IS NOT TRUE
            OR EXISTS (SELECT FROM jsonb_each(filter) AS f WHERE f.key <> ALL (known)
                OR jsonb_typeof(f.value) NOT IN ('string', 'null')) THEN
        PERFORM internal_invalid('filter', filter::text,
            format('must be an object with texts and no other keys than %s', array_to_string(known, ', ')));
    ELSIF (find_flows.max BETWEEN 1 AND 1000) IS NOT TRUE THEN
        PERFORM internal_invalid('max', find_flows.max::text, 'must be between 1 and 1000');
    END IF;
    place := internal_uuid('after', coalesce(after, 'ffffffff-ffff-ffff-ffff-ffffffffffff'));
    of_parent := internal_uuid('parent', filter ->> 'parent');
    FOR met IN
        SELECT f.id, (f.kind = filter ->> 'kind') IS NOT FALSE AND (f.name = filter ->> 'name') IS NOT FALSE
            AND (filter ->> 'key' IS NULL OR f.key IS NOT DISTINCT FROM filter ->> 'key')
            AND (f.state = filter ->> 'state') IS NOT FALSE
            AND (filter ->> 'parent' IS NULL OR f.parent IS NOT DISTINCT FROM of_parent) AS matches
        FROM flow f WHERE f.id < place ORDER BY f.id DESC LIMIT 10000
    LOOP
        looked := looked + 1;
        IF met.matches THEN
            found := found + 1;
            RETURN QUERY
            SELECT f.id, f.kind, f.name, f.key, f.state, f.sealed, f.cancelling, f.round, f.total, f.done, f.dead,
                f.cancelled, internal_percent(f), f.parent, f.created_at, f.finished_at, f.problem, NULL::text
            FROM flow f WHERE f.id = met.id;
        END IF;
        IF found = find_flows.max OR looked = 10000 THEN
            cursor := met.id;
            RETURN NEXT;
            RETURN;
        END IF;
    END LOOP;
END
$$;

CREATE OR REPLACE FUNCTION internal_uuid(argument text, value text) RETURNS uuid
LANGUAGE plpgsql IMMUTABLE SECURITY DEFINER SET search_path FROM CURRENT
AS $$
BEGIN
    RETURN value::uuid;
EXCEPTION WHEN data_exception THEN
    PERFORM internal_invalid(argument, value, 'must be a UUID');
    RETURN NULL;
END
$$;

REVOKE ALL ON FUNCTION find_flows(jsonb, text, int) FROM PUBLIC;
REVOKE ALL ON FUNCTION internal_uuid(text, text) FROM PUBLIC;
