plugins {
    `java-library`
    alias(libs.plugins.spring.boot)
}

description = "The queue beside bare JDBC and its peers; not published"

dependencies {
    api(project(":queue-spring-boot-starter"))
    api(project(":postgres-support")) {
        exclude(group = "org.testcontainers")
    }
    api(libs.spring.boot.kafka)
    api(libs.spring.kafka.test)
    api(libs.db.scheduler)
    api(libs.jobrunr)
    api(libs.jackson2.databind)
    api(libs.quartz)
    // For the compiler: pgjdbc's classes are annotated with it.
    compileOnly(libs.checker.qual)

    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}

springBoot {
    mainClass = "dev.jobqueue.benchmarks.Benchmarks"
}

tasks.bootRun {
    jvmArgs("-Xms1g", "-Xmx3g")
    // That is for a quick start: it does without the better half of the compiler.
    optimizedLaunch = false
}

// Run from the build, not packed.
tasks.bootJar {
    enabled = false
}
