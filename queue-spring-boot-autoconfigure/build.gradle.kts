plugins {
    `java-library`
}

description = "Spring Boot auto-configuration of the job queue"

dependencies {
    api(project(":queue-core"))
    api(libs.spring.boot.autoconfigure)
    api(libs.spring.boot.jdbc)
    api(libs.jspecify)
    compileOnly(libs.spring.boot.actuator.autoconfigure)
    compileOnly(libs.spring.boot.health)
    compileOnly(libs.spring.boot.micrometer.metrics)
    compileOnly(libs.spring.boot.micrometer.observation)
    compileOnly(libs.micrometer.core)
    compileOnly(libs.spring.security.core)
    compileOnly(libs.spring.boot.kafka)
    compileOnly(libs.spring.boot.amqp)
    compileOnly(libs.spring.modulith.events.core)

    annotationProcessor(libs.spring.boot.configuration.processor)
    annotationProcessor(libs.spring.boot.autoconfigure.processor)
    testAnnotationProcessor(libs.spring.boot.configuration.processor)
    testAnnotationProcessor(libs.spring.boot.autoconfigure.processor)

    testImplementation(project(":postgres-support"))
    testImplementation(libs.spring.boot.starter.jdbc)
    testImplementation(libs.spring.boot.starter.jackson)
    testImplementation(libs.spring.boot.starter.data.jpa)
    testImplementation(libs.spring.boot.actuator.autoconfigure)
    testImplementation(libs.spring.boot.health)
    testImplementation(libs.spring.boot.micrometer.metrics)
    testImplementation(libs.spring.boot.micrometer.observation)
    testImplementation(libs.micrometer.core)
    testImplementation(libs.spring.security.core)
    testImplementation(libs.spring.boot.kafka)
    testImplementation(libs.spring.boot.amqp)
    testImplementation(libs.spring.modulith.events.core)
    testImplementation(libs.spring.boot.starter.actuator)
    testImplementation(libs.spring.boot.starter.webmvc)
    testImplementation(libs.spring.boot.starter.security)
    testImplementation(libs.spring.boot.starter.opentelemetry)
    testImplementation(libs.micrometer.registry.prometheus)
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.kafka.test)
    testImplementation(libs.archunit.junit5)
    testRuntimeOnly(libs.junit.platform.launcher)
}
