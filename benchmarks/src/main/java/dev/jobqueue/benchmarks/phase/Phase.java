package dev.jobqueue.benchmarks.phase;

/** A group of measurements; each round takes every one of them once. */
@FunctionalInterface
public interface Phase {

    void round(int number) throws Exception;
}
