pluginManagement {
    repositories {
        mavenCentral()
    }
    resolutionStrategy {
        eachPlugin {
            // Spotless has no plugin marker on Maven Central.
            if (requested.id.id == "com.diffplug.spotless") {
                useModule("com.diffplug.spotless:spotless-plugin-gradle:${requested.version}")
            }
        }
    }
}

dependencyResolutionManagement {
    repositories {
        mavenCentral()
    }
}

rootProject.name = "queue-parent"

include("postgres-support")
include("queue-core")
include("queue-spring-boot-autoconfigure")
include("queue-spring-boot-starter")
include("queue-dashboard")
include("queue-test")
include("sample-app")
include("benchmarks")
include("survival")
