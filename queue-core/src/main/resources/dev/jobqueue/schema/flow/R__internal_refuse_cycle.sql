-- Refuses steps that wait for themselves by way of others (JQ422) and names them. Takes away what has no parents left,
-- again and again; then every step that is left has a parent that is left, and going from parent to parent comes round.
-- Steps up to "last" are known already and have no parents among those given.
CREATE OR REPLACE FUNCTION internal_refuse_cycle(names text[], parents int[], children int[], last int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
DECLARE
    most constant int := cardinality(names);
    -- By parent: where its children begin in targets.
    begins int[] := array_fill(0, ARRAY[most + 1]);
    targets int[];
    missing int[] := array_fill(0, ARRAY[most]);
    pending int[] := '{}';
    head int := 1;
    tail int := 0;
    met int;
    path int[] := '{}';
BEGIN
    targets := ARRAY(SELECT e.child - last FROM unnest(parents, children) AS e (parent, child)
        WHERE e.parent > last ORDER BY e.parent, e.child);
    SELECT array_agg(s.n ORDER BY s.step) INTO begins FROM (
        SELECT g AS step, 1 + coalesce(sum(e.n) OVER (ORDER BY g ROWS UNBOUNDED PRECEDING), 0) - coalesce(e.n, 0) AS n
        FROM generate_series(1, most + 1) AS g LEFT JOIN (
            SELECT e.parent - last AS parent, count(*) AS n FROM unnest(parents, children) AS e (parent, child)
            WHERE e.parent > last GROUP BY e.parent) AS e ON e.parent = g) AS s;
    SELECT array_agg(coalesce(e.n, 0) ORDER BY g) INTO missing FROM generate_series(1, most) AS g LEFT JOIN (
        SELECT e.child - last AS child, count(*) AS n FROM unnest(parents, children) AS e (parent, child)
        WHERE e.parent > last GROUP BY e.child) AS e ON e.child = g;
    FOR i IN 1 .. most LOOP
        IF missing[i] = 0 THEN
            tail := tail + 1;
            pending[tail] := i;
        END IF;
    END LOOP;
    WHILE head <= tail LOOP
        FOR i IN begins[pending[head]] .. begins[pending[head] + 1] - 1 LOOP
            missing[targets[i]] := missing[targets[i]] - 1;
            IF missing[targets[i]] = 0 THEN
                tail := tail + 1;
                pending[tail] := targets[i];
            END IF;
        END LOOP;
        head := head + 1;
    END LOOP;
    IF tail = most THEN
        RETURN;
    END IF;
    met := (SELECT g.i FROM unnest(missing) WITH ORDINALITY AS g (n, i) WHERE g.n > 0 LIMIT 1);
    WHILE met <> ALL (path) LOOP
        path := met || path;
        met := (SELECT e.parent - last FROM unnest(parents, children) AS e (parent, child)
            WHERE e.child - last = met AND e.parent > last AND missing[e.parent - last] > 0 LIMIT 1);
    END LOOP;
    path := met || path[1:array_position(path, met)];
    PERFORM internal_invalid('after', (SELECT string_agg(names[p.step], ' -> ' ORDER BY p.i)
        FROM unnest(path) WITH ORDINALITY AS p (step, i)), 'must not lead back to a step: it would wait for itself');
END
$$;

REVOKE ALL ON FUNCTION internal_refuse_cycle(text[], int[], int[], int) FROM PUBLIC;
