plugins {
    `java-library`
}

description = "Spring Boot auto-configuration of the job queue"

dependencies {
    api(project(":queue-core"))
    api(libs.spring.boot.autoconfigure)
    api(libs.spring.boot.jdbc)
    api(libs.jspecify)

    annotationProcessor(libs.spring.boot.configuration.processor)
    annotationProcessor(libs.spring.boot.autoconfigure.processor)
    testAnnotationProcessor(libs.spring.boot.configuration.processor)
    testAnnotationProcessor(libs.spring.boot.autoconfigure.processor)

    testImplementation(project(":postgres-support"))
    testImplementation(libs.spring.boot.starter.jdbc)
    testImplementation(libs.spring.boot.starter.jackson)
    testImplementation(libs.spring.boot.starter.data.jpa)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.archunit.junit5)
    testRuntimeOnly(libs.junit.platform.launcher)
}
