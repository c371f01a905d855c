package dev.jobqueue.dashboard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Set;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class AccessTests {

    private static MockHttpServletRequest request(String address, String host) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/queues/api/me");
        request.setRemoteAddr(address);
        if (host != null) {
            request.addHeader("Host", host);
        }
        return request;
    }

    @Nested
    class WithoutSpringSecurity {

        private final Access access = new LoopbackAccess(Set.of("dev.local"), false);

        @ParameterizedTest
        @CsvSource({
            "127.0.0.1, localhost:8080",
            "127.8.7.6, 127.0.0.1",
            "0:0:0:0:0:0:0:1, '[::1]:8080'",
            "::1, LOCALHOST",
            "0:0:0:0:0:0:0:1%0, localhost",
            "127.0.0.1, dev.local:80"
        })
        void servesThisMachine(String address, String host) {
            Caller caller = access.caller(request(address, host));
            assertThat(caller).isEqualTo(new Caller("local", true));
        }

        @ParameterizedTest
        @ValueSource(strings = {"203.0.113.7", "10.0.0.1", "::2", "127.evil", "1127.0.0.1"})
        void refusesOtherMachinesAndSaysWhatToDo(String address) {
            assertThatThrownBy(() -> access.caller(request(address, "localhost")))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("spring-boot-starter-security")
                    .hasMessageContaining("queue.dashboard.view-role");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"evil.example", "localhost.evil.example", "evil.example:80", "127.0.0.1.evil.example", ""})
        void refusesNamesThatSomebodyPointedHere(String host) {
            assertThatThrownBy(() -> access.caller(request("127.0.0.1", host)))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining("queue.dashboard.hosts");
            assertThatThrownBy(() -> access.caller(request("127.0.0.1", null))).isInstanceOf(Refusal.class);
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"X-Forwarded-For", "x-forwarded-for", "Forwarded", "X-Real-IP", "X-Forwarded-Host", "Via"})
        void refusesWhatAProxyPassedOn(String header) {
            MockHttpServletRequest request = request("127.0.0.1", "localhost");
            request.addHeader(header, "203.0.113.7");
            assertThatThrownBy(() -> access.caller(request)).isInstanceOf(Refusal.class);
        }

        @Test
        void letsNobodyActWhereItIsReadOnly() {
            Caller caller = new LoopbackAccess(Set.of(), true).caller(request("127.0.0.1", "localhost"));
            assertThat(caller.canAct()).isFalse();
        }
    }

    @Nested
    class ARequestThatActs {

        private final MockHttpServletRequest request = request("127.0.0.1", "shop.example:8443");

        @ParameterizedTest
        @CsvSource({"https://shop.example:8443, same-origin", "https://shop.example:8443, ", ", same-origin"})
        void mayComeFromTheDashboard(String origin, String site) {
            request.setContentType("application/json");
            add("Origin", origin);
            add("Sec-Fetch-Site", site);
            SameOrigin.require(request);
        }

        @ParameterizedTest
        @CsvSource({
            "https://evil.example, cross-site",
            "https://evil.example, ",
            "https://other.shop.example:8443, same-site",
            "https://shop.example:8443, none",
            "null, ",
            "'%%%', ",
            ", "
        })
        void mayNotComeFromElsewhere(String origin, String site) {
            request.setContentType("application/json");
            add("Origin", origin);
            add("Sec-Fetch-Site", site);
            assertThatThrownBy(() -> SameOrigin.require(request)).isInstanceOf(Refusal.class);
        }

        @Test
        void mayNameTheServerAsForwardedHeadersDo() {
            MockHttpServletRequest forwarded = request("127.0.0.1", null);
            forwarded.setServerName("shop.example");
            forwarded.setServerPort(443);
            forwarded.setContentType("application/json;charset=utf-8");
            forwarded.addHeader("Origin", "https://shop.example");
            SameOrigin.require(forwarded);
        }

        @Test
        void mayNotBeWhatAFormCanSend() {
            add("Origin", "https://shop.example:8443");
            request.setContentType("text/plain");
            assertThatThrownBy(() -> SameOrigin.require(request)).hasMessageContaining("application/json");
        }

        private void add(String header, String value) {
            if (value != null) {
                request.addHeader(header, value);
            }
        }
    }
}
