package dev.jobqueue.test;

import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestExecutionListener;

/**
 * Tells the tester when a test method begins and ends; outside of its transaction, which begins later and ends earlier.
 */
final class JobTesterListener implements TestExecutionListener, Ordered {

    private static final String BEGUN = JobTesterListener.class.getName() + ".begun";

    @Override
    public int getOrder() {
        return 3_500;
    }

    @Override
    public void beforeTestMethod(TestContext test) {
        if (test.hasApplicationContext()) {
            test.getApplicationContext().getBeanProvider(JobTester.class).ifAvailable(tester -> {
                tester.begin(test.getTestClass().getSimpleName() + "."
                        + test.getTestMethod().getName());
                test.setAttribute(BEGUN, tester);
            });
        }
    }

    @Override
    public void afterTestMethod(TestContext test) {
        if (test.removeAttribute(BEGUN) instanceof JobTester tester) {
            tester.end(test.getTestException() == null);
        }
    }
}
