package dev.jobqueue.test.shop;

import java.util.ArrayList;
import java.util.List;
import org.springframework.stereotype.Component;

/** The outside world: it remembers, and fails when it is told to. */
@Component
public class Mailer {

    public final List<String> mails = new ArrayList<>();
    private int failures;
    private Runnable meanwhile = () -> {};

    public void reset() {
        mails.clear();
        failures = 0;
        meanwhile = () -> {};
    }

    public void failNext(int times) {
        failures = times;
    }

    public void meanwhile(Runnable action) {
        meanwhile = action;
    }

    public String send(String email) {
        meanwhile.run();
        if (failures > 0) {
            failures--;
            throw new IllegalStateException("smtp: no route to " + email);
        }
        mails.add(email);
        return "sent to " + email;
    }
}
