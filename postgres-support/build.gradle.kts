plugins {
    `java-library`
}

description = "A real PostgreSQL for the tests and the sample; not published"

dependencies {
    api(libs.embedded.postgres) {
        exclude(group = "io.zonky.test.postgres")
    }
    api(libs.postgresql)
    api(libs.testcontainers.postgresql)
    api(libs.slf4j.api)
    api(libs.jspecify)

    // Nobody downloads the binaries of all platforms.
    val system = System.getProperty("os.name").lowercase()
    val arm = System.getProperty("os.arch") == "aarch64"
    when {
        system.startsWith("windows") -> runtimeOnly(libs.postgres.binaries.windows.amd64)
        system.startsWith("mac") && arm -> runtimeOnly(libs.postgres.binaries.darwin.arm64v8)
        system.startsWith("mac") -> runtimeOnly(libs.postgres.binaries.darwin.amd64)
        arm -> runtimeOnly(libs.postgres.binaries.linux.arm64v8)
        else -> runtimeOnly(libs.postgres.binaries.linux.amd64)
    }

    testImplementation(libs.spring.boot.starter.test)
    testRuntimeOnly(libs.junit.platform.launcher)
}

tasks.test {
    // BuildParityTests reads the files of both builds.
    inputs.files(
        rootProject.fileTree(rootProject.projectDir) {
            include("pom.xml", "*/pom.xml", "*.kts", "*/*.kts", "gradle/**", "gradlew*", ".mvn/**")
        },
    ).withPathSensitivity(PathSensitivity.RELATIVE).withPropertyName("buildFiles")
}
