plugins {
    `java-library`
    alias(libs.plugins.spring.boot)
}

description = "A small shop on the job queue"

// As Maven's profile of that name: ./gradlew -Paot :sample-app:bootJar
if (providers.gradleProperty("aot").isPresent) {
    apply(plugin = "org.springframework.boot.aot")
}

dependencies {
    implementation(project(":queue-spring-boot-starter"))
    implementation(project(":queue-dashboard"))
    implementation(libs.spring.boot.starter.webmvc)
    implementation(libs.spring.boot.kafka)
    implementation(libs.spring.boot.starter.validation)
    implementation(libs.spring.boot.starter.flyway)
    runtimeOnly(libs.flyway.database.postgresql)
    implementation(libs.spring.boot.starter.actuator)
    runtimeOnly(libs.micrometer.registry.prometheus)
    implementation(project(":postgres-support")) {
        exclude(group = "org.testcontainers")
    }

    testImplementation(project(":queue-test"))
    testImplementation(libs.spring.boot.starter.test)
    testImplementation(libs.spring.boot.starter.webmvc.test)
    testImplementation(libs.testcontainers.postgresql)
    testRuntimeOnly(libs.junit.platform.launcher)
}

tasks.test {
    // Tests compare the documents with what the application really has.
    inputs.files(
        rootProject.files("README.md", "CONTRIBUTING.md", "CHANGELOG.md", "compose.yaml", "pom.xml"),
        rootProject.fileTree("docs"),
        rootProject.fileTree("ops"),
        rootProject.fileTree("queue-dashboard/src/test/java"),
        rootProject.fileTree("queue-spring-boot-autoconfigure/src/test/java"),
    ).withPathSensitivity(PathSensitivity.RELATIVE)
}
