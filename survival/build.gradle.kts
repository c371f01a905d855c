plugins {
    `java-library`
    alias(libs.plugins.spring.boot)
}

description = "What production does to the queue, done on purpose; not published"

dependencies {
    api(project(":queue-spring-boot-starter"))
    api(project(":postgres-support"))
    // For the compiler: pgjdbc's classes are annotated with it.
    compileOnly(libs.checker.qual)

    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}

springBoot {
    mainClass = "dev.jobqueue.survival.Survival"
}

// Run from the build, not packed.
tasks.bootJar {
    enabled = false
}
