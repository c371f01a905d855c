package dev.jobqueue.internal.schedule;

import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.time.zone.ZoneOffsetTransition;
import java.time.zone.ZoneRules;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.scheduling.support.CronExpression;

/**
 * Due by a cron expression in a time zone. The expression is evaluated on local time, without a zone; what happens when
 * the clocks change is decided here:
 *
 * <ul>
 *   <li>a local time that is left out (clocks go forward) is due at the first instant after the gap,
 *   <li>a local time that comes twice (clocks go back) is due once, the first time,
 *   <li>an expression for every hour goes by the hours that really pass: it neither bunches up nor pauses.
 * </ul>
 */
final class Cron implements Timetable {

    /** Beyond this many times that passed unseen only the latest are looked at: locks are held meanwhile. */
    private static final int MOST_WALKED = 1_000;

    private final List<CronExpression> alternatives;
    private final boolean everyHour;
    private final ZoneRules rules;

    private Cron(List<CronExpression> alternatives, boolean everyHour, ZoneId zone) {
        this.alternatives = alternatives;
        this.everyHour = everyHour;
        this.rules = zone.getRules();
    }

    static Cron parse(String expression, ZoneId zone) {
        CronFields fields = CronFields.parse(expression);
        return new Cron(fields.alternatives(), fields.isEveryHour(), zone);
    }

    @Override
    public @Nullable Instant next(Instant after) {
        return everyHour ? nextByRealTime(after) : nextByWallClock(after);
    }

    private @Nullable Instant nextByWallClock(Instant after) {
        LocalDateTime local = nextLocal(LocalDateTime.ofInstant(after, rules.getOffset(after)));
        while (local != null) {
            Instant due = instantOf(local);
            // passed already: in the hour that comes twice, or more than one time in the gap
            if (due.isAfter(after)) {
                return due;
            }
            local = nextLocal(local);
        }
        return null;
    }

    private Instant instantOf(LocalDateTime local) {
        ZoneOffsetTransition transition = rules.getTransition(local);
        if (transition == null) {
            return local.toInstant(rules.getOffset(local));
        }
        return transition.isGap() ? transition.getInstant() : local.toInstant(transition.getOffsetBefore());
    }

    private @Nullable Instant nextByRealTime(Instant after) {
        ZoneOffset offset = rules.getOffset(after);
        LocalDateTime from = LocalDateTime.ofInstant(after, offset);
        ZoneOffsetTransition change = rules.nextTransition(after);
        while (true) {
            LocalDateTime local = nextLocal(from);
            if (local == null) {
                return null;
            }
            Instant due = local.toInstant(offset);
            if (change == null || due.isBefore(change.getInstant())) {
                return due;
            }
            offset = change.getOffsetAfter();
            from = change.getDateTimeAfter().minusNanos(1);
            change = rules.nextTransition(change.getInstant());
        }
    }

    private @Nullable LocalDateTime nextLocal(LocalDateTime after) {
        LocalDateTime first = null;
        for (CronExpression alternative : alternatives) {
            LocalDateTime next = alternative.next(after);
            if (next != null && (first == null || next.isBefore(first))) {
                first = next;
            }
        }
        return first;
    }

    @Override
    public Due due(Instant first, Instant now, int most) {
        Deque<Instant> latest = new ArrayDeque<>();
        long count = 0;
        Instant time = first;
        while (time != null && !time.isAfter(now)) {
            count++;
            latest.addLast(time);
            if (latest.size() > most) {
                latest.removeFirst();
            }
            time = count == MOST_WALKED ? jump(first, time, now, most) : next(time);
        }
        return new Due(count, List.copyOf(latest));
    }

    /** Goes on near the end: about as many times before now as are wanted, going by how close they came so far. */
    private @Nullable Instant jump(Instant first, Instant reached, Instant now, int most) {
        Duration back = Duration.between(first, reached).dividedBy(MOST_WALKED).multipliedBy(most);
        for (; now.minus(back).isAfter(reached); back = back.multipliedBy(2)) {
            Instant next = next(now.minus(back));
            if (next == null || !next.isAfter(now)) {
                return next;
            }
        }
        return next(reached);
    }
}
