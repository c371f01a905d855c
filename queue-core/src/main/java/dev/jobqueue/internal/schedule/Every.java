package dev.jobqueue.internal.schedule;

import dev.jobqueue.InvalidJobException;
import dev.jobqueue.internal.Spans;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.stream.LongStream;

/** Due after each interval, counted from the last due time, so that it does not drift. */
record Every(Duration interval) implements Timetable {

    private static final Duration SHORTEST = Duration.ofSeconds(1);

    Every {
        if (interval.compareTo(SHORTEST) < 0 || interval.compareTo(Spans.LONGEST) > 0) {
            throw new InvalidJobException(
                    "every is '%s': must be at least 1 second and at most 10 years".formatted(interval));
        }
    }

    @Override
    public Instant next(Instant after) {
        return after.plus(interval);
    }

    @Override
    public Due due(Instant first, Instant now, int most) {
        if (first.isAfter(now)) {
            return new Due(0, List.of());
        }
        long count = Duration.between(first, now).dividedBy(interval) + 1;
        List<Instant> latest = LongStream.range(Math.max(0, count - most), count)
                .mapToObj(i -> first.plus(interval.multipliedBy(i)))
                .toList();
        return new Due(count, latest);
    }
}
