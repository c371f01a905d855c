-- Says which of the given jobs breaks which rule about unique keys (JQ422), the first of them; does nothing if all are
-- well.
CREATE OR REPLACE FUNCTION internal_refuse_rules(
    types text[], unique_keys text[], run_ats timestamptz[], delays_ms bigint[], unique_for_ms bigint[],
    on_conflicts text[], max_delays_ms bigint[]
) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT
AS $$
#variable_conflict use_column
DECLARE
    ten_years_ms constant bigint := 315360000000;
    bad record;
BEGIN
    SELECT * INTO bad FROM (VALUES ('unique_for_ms', cardinality(unique_for_ms)),
        ('on_conflicts', cardinality(on_conflicts)), ('max_delays_ms', cardinality(max_delays_ms))
    ) AS given (argument, length) WHERE length <> coalesce(cardinality(types), 0) LIMIT 1;
    IF bad.argument IS NOT NULL THEN
        PERFORM internal_invalid(bad.argument, format('%s elements', bad.length),
            format('must have as many elements as types (%s)', coalesce(cardinality(types), 0)));
    END IF;
    SELECT g.i, r.* INTO bad
    FROM unnest(unique_keys, run_ats, delays_ms, unique_for_ms, on_conflicts, max_delays_ms) WITH ORDINALITY
            AS g (unique_key, run_at, delay_ms, unique_for_ms, on_conflict, max_delay_ms, i)
        CROSS JOIN LATERAL (VALUES
            (1, 'on_conflict', g.on_conflict, 'must be KEEP, REPLACE, POSTPONE or FAIL',
                g.on_conflict IN ('KEEP', 'REPLACE', 'POSTPONE', 'FAIL')),
            (2, 'on_conflict', g.on_conflict, 'must be given together with a unique_key',
                g.on_conflict IS NULL OR g.unique_key IS NOT NULL),
            (3, 'unique_for', g.unique_for_ms || ' ms', 'must be more than 0 and at most 10 years',
                g.unique_for_ms BETWEEN 1 AND ten_years_ms),
            (4, 'unique_for', g.unique_for_ms || ' ms', 'must be given together with a unique_key',
                g.unique_for_ms IS NULL OR g.unique_key IS NOT NULL),
            (5, 'max_delay', g.max_delay_ms || ' ms', 'must be more than 0 and at most 10 years',
                g.max_delay_ms BETWEEN 1 AND ten_years_ms),
            (6, 'max_delay', g.max_delay_ms || ' ms',
                'must be given together with a unique_key and on_conflict REPLACE or POSTPONE',
                g.max_delay_ms IS NULL
                    OR g.unique_key IS NOT NULL AND coalesce(g.on_conflict, 'KEEP') IN ('REPLACE', 'POSTPONE')),
            (7, 'max_delay', g.max_delay_ms || ' ms', format('must not be less than delay (%s ms)', g.delay_ms),
                g.max_delay_ms >= g.delay_ms),
            (8, 'max_delay', g.max_delay_ms || ' ms',
                'must not be given together with unique_for, which would drop what comes while the job runs',
                g.max_delay_ms IS NULL OR g.unique_for_ms IS NULL)
        ) AS r (n, argument, value, rule, holds)
    WHERE r.holds IS FALSE ORDER BY g.i, r.n LIMIT 1;
    IF FOUND THEN
        PERFORM internal_invalid(
            bad.argument || CASE WHEN cardinality(types) > 1 THEN format(' of job %s', bad.i) ELSE '' END,
            bad.value, bad.rule);
    END IF;
END
$$;

REVOKE ALL ON FUNCTION internal_refuse_rules(text[], text[], timestamptz[], bigint[], bigint[], text[], bigint[])
    FROM PUBLIC;
