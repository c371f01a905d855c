package dev.jobqueue.internal;

/** Numbers with what they count, for people. */
public final class Counts {

    private Counts() {}

    /** Such as {@code 1 job} and {@code 2 jobs}. */
    public static String of(long number, String singular) {
        return number + " " + singular + (number == 1 ? "" : "s");
    }
}
