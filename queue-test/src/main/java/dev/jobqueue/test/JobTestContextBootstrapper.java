package dev.jobqueue.test;

import org.springframework.boot.test.autoconfigure.TestSliceTestContextBootstrapper;

/** Makes the context of a {@link JobTest}. */
final class JobTestContextBootstrapper extends TestSliceTestContextBootstrapper<JobTest> {}
