package dev.jobqueue.internal.concurrency;

import java.sql.SQLException;

/** Has the database itself refuse every claim that would let more jobs pass than a limit allows, at that moment. */
final class LimitCheck {

    private LimitCheck() {}

    static void install(Session session) throws SQLException {
        session.execute("""
                CREATE FUNCTION public.refuse_too_many() RETURNS trigger LANGUAGE plpgsql AS $$
                DECLARE
                    running bigint := (SELECT count(*) FROM queue.held h WHERE h.gate = NEW.gate);
                    most int := (SELECT l.running FROM queue.job_limit l WHERE l.name = NEW.name);
                BEGIN
                    IF running > most THEN
                        INSERT INTO public.violation VALUES (format('%s of %s in %s', running, most, NEW.name));
                        RAISE WARNING 'limit % has % of %', NEW.name, running, most;
                    END IF;
                    RETURN NULL;
                END $$""");
        session.execute("CREATE TABLE public.violation (what text)");
        session.execute("CREATE TRIGGER refuse_too_many AFTER INSERT ON queue.held"
                + " FOR EACH ROW EXECUTE FUNCTION public.refuse_too_many()");
    }
}
