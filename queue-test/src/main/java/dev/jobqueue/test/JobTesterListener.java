package dev.jobqueue.test;

import java.util.List;
import java.util.stream.Stream;
import org.springframework.core.Ordered;
import org.springframework.test.context.TestContext;
import org.springframework.test.context.TestContextAnnotationUtils;
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

    /** A class that the scan of the application does not find would be missing without a word. */
    @Override
    public void prepareTestInstance(TestContext test) {
        JobTest slice = TestContextAnnotationUtils.findMergedAnnotation(test.getTestClass(), JobTest.class);
        if (slice == null) {
            return;
        }
        List<String> missing = Stream.of(slice.components())
                .filter(type -> test.getApplicationContext().getBeanNamesForType(type, true, false).length == 0)
                .map(type -> "'" + type.getName() + "'")
                .toList();
        if (!missing.isEmpty()) {
            throw new IllegalStateException(
                    ("@JobTest names %s, but there is no such bean: the component scan of the application does not find"
                                    + " it. Annotate it with @Component in a package of the application, or add"
                                    + " @Import of it to the test (a class within a test needs that).")
                            .formatted(String.join(", ", missing)));
        }
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
