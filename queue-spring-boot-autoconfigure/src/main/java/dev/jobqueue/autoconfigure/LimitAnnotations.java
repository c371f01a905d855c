package dev.jobqueue.autoconfigure;

import dev.jobqueue.AtLimit;
import dev.jobqueue.FairShare;
import dev.jobqueue.Fifo;
import dev.jobqueue.HandlerLimit;
import dev.jobqueue.InvalidJobException;
import dev.jobqueue.Limit;
import dev.jobqueue.LimitDefinition;
import dev.jobqueue.LimitDefinition.Kind;
import dev.jobqueue.OnDead;
import dev.jobqueue.Rate;
import java.lang.annotation.Annotation;
import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.core.annotation.MergedAnnotation;
import org.springframework.core.annotation.MergedAnnotations;
import org.springframework.core.annotation.MergedAnnotations.SearchStrategy;

/** The {@link Limit}, {@link Fifo} and {@link FairShare} annotations of one handler method. */
final class LimitAnnotations {

    /** What makes a method one with limits. */
    static final Set<Class<? extends Annotation>> ALL = Set.of(Limit.class, Fifo.class, FairShare.class);

    private final Method method;
    private final String type;

    private LimitAnnotations(Method method, String type) {
        this.method = method;
        this.type = type;
    }

    /** Whether the method itself has any of them. */
    static boolean isOn(Method method) {
        if (method.getDeclaredAnnotations().length == 0) {
            return false;
        }
        MergedAnnotations annotations = MergedAnnotations.from(method);
        return ALL.stream().anyMatch(annotations::isPresent);
    }

    /**
     * The limits of a handler.
     *
     * @param type the type of its jobs, which is the name of limits without one
     * @throws InvalidHandlerException that names the value and the fix
     */
    static List<HandlerLimit> of(Method method, String type) {
        return new LimitAnnotations(method, type).read();
    }

    private List<HandlerLimit> read() {
        List<HandlerLimit> limits = new ArrayList<>();
        nearest(Limit.class).forEach(each -> limits.add(read(each)));
        List<Fifo> fifos = nearest(Fifo.class);
        if (fifos.size() > 1) {
            throw wrong(
                    "has two @Fifo, '%s' and '%s'"
                            .formatted(
                                    name(fifos.get(0).name()), name(fifos.get(1).name())),
                    "Remove one: jobs can be in one order only. One that does not count in order may be a"
                            + " @Limit(running = 1).");
        }
        fifos.forEach(each -> limits.add(read(each)));
        nearest(FairShare.class).forEach(each -> limits.add(read(each)));
        Set<String> names = new HashSet<>();
        for (HandlerLimit each : limits) {
            if (!names.add(each.limit().name())) {
                throw wrong(
                        "has two limits that are named '%s'"
                                .formatted(each.limit().name()),
                        "Give one of them another name, as in @Limit(name = \"crm\"). Without a name, each has the type"
                                + " of the handler for its name.");
            }
        }
        return limits;
    }

    /** The annotations of the method, or else those of the nearest method that it overrides. */
    private <A extends Annotation> List<A> nearest(Class<A> annotation) {
        List<MergedAnnotation<A>> all = MergedAnnotations.from(method, SearchStrategy.TYPE_HIERARCHY).stream(annotation)
                .toList();
        return all.stream()
                .filter(each -> each.getAggregateIndex() == all.get(0).getAggregateIndex())
                .map(MergedAnnotation::synthesize)
                .toList();
    }

    private HandlerLimit read(Limit limit) {
        String name = name(limit.name());
        Rate rate = limit.rate().isEmpty() ? null : checked(limit, name, () -> Rate.of(limit.rate()));
        if (limit.running() == 0 && rate == null) {
            throw wrong(
                    "has @Limit '%s' with neither running nor rate".formatted(name),
                    "Say how many run at once, as in running = 2, or how many start in a time, as in rate ="
                            + " \"100/10s\".");
        }
        return checked(
                limit,
                name,
                () -> new HandlerLimit(
                        new LimitDefinition(
                                name,
                                Kind.LIMIT,
                                orNull(limit.running()),
                                rate,
                                orNull(limit.burst()),
                                limit.atLimit(),
                                OnDead.BLOCK,
                                Map.of()),
                        orNull(limit.key())));
    }

    private HandlerLimit read(Fifo fifo) {
        String name = name(fifo.name());
        return checked(
                fifo,
                name,
                () -> new HandlerLimit(LimitDefinition.ofFifo(name).onDead(fifo.onDead()), orNull(fifo.key())));
    }

    private HandlerLimit read(FairShare share) {
        String name = name(share.name());
        return checked(
                share,
                name,
                () -> new HandlerLimit(
                        new LimitDefinition(
                                name,
                                Kind.FAIR,
                                null,
                                null,
                                null,
                                AtLimit.WAIT,
                                OnDead.BLOCK,
                                weights(name, share.weights())),
                        share.key()));
    }

    private Map<String, Integer> weights(String name, String[] texts) {
        Map<String, Integer> weights = new LinkedHashMap<>();
        for (String text : texts) {
            int end = text.lastIndexOf('=');
            if (end < 1 || !text.substring(end + 1).matches("\\d{1,9}")) {
                throw wrong(
                        "has @FairShare '%s' with weight '%s', which is none".formatted(name, text),
                        "Write key and number, as in weights = {\"big=3\", \"*=1\"}.");
            }
            weights.put(text.substring(0, end), Integer.parseInt(text.substring(end + 1)));
        }
        return weights;
    }

    private <T> T checked(Annotation annotation, String name, Supplier<T> reading) {
        try {
            return reading.get();
        } catch (InvalidJobException ex) {
            throw wrong(
                    "has a wrong @%s '%s'. %s"
                            .formatted(annotation.annotationType().getSimpleName(), name, ex.getMessage()),
                    "Correct the value in the annotation, or leave it out.");
        }
    }

    private InvalidHandlerException wrong(String problem, String action) {
        return new InvalidHandlerException(method, problem, action);
    }

    private String name(String given) {
        return given.isEmpty() ? type : given;
    }

    private static @Nullable Integer orNull(int value) {
        return value == 0 ? null : value;
    }

    private static @Nullable String orNull(String value) {
        return value.isEmpty() ? null : value;
    }
}
