package dev.jobqueue.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/** Lets each test method start with the real time; outside of its transaction, which begins later and ends earlier. */
final class JobTesterResetListener implements TestExecutionListener, Ordered {

    @Override
    public int getOrder() {
        return 3_500;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        reset(test);
    }

    @Override
    public void afterTestMethod(TestContext test) {
        reset(test);
    }

    private static void reset(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(JobTester.class).ifAvailable(JobTester::reset);
        }
    }
}
