package dev.jobqueue.dashboard.browser;

import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Browser.NewContextOptions;
import com.microsoft.playwright.BrowserContext;
import com.microsoft.playwright.ConsoleMessage;
import com.microsoft.playwright.Page;
import com.microsoft.playwright.assertions.PlaywrightAssertions;
import com.microsoft.playwright.options.ColorScheme;
import dev.jobqueue.postgres.TestDatabase;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A browser and an application for the tests of a class, and a new tab for each test. What the page throws, or the
 * content security policy refuses, fails the test.
 */
final class Browsing implements BeforeAllCallback, AfterAllCallback, BeforeEachCallback, AfterEachCallback {

    /** A crowded machine takes its time. */
    static final int PATIENCE = 30_000;

    private static @Nullable TestDatabase database;

    private final String[] properties;
    private final List<String> complaints = new CopyOnWriteArrayList<>();

    private @Nullable Chromium chromium;
    private @Nullable Shop shop;
    private @Nullable BrowserContext context;
    private @Nullable Page page;

    Browsing(String... properties) {
        this.properties = properties;
    }

    @Override
    public void beforeAll(ExtensionContext test) {
        Path program = Chromium.find().orElse(null);
        Assumptions.assumeTrue(program != null, Chromium.MISSING);
        chromium = Chromium.start(checked(program));
        database = TestDatabase.create();
        shop = Shop.start(database(), properties);
        PlaywrightAssertions.setDefaultAssertionTimeout(PATIENCE);
    }

    @Override
    public void beforeEach(ExtensionContext test) {
        signIn(Shop.OPERATOR);
    }

    /** Opens a new tab as this user, instead of the one before. */
    void signIn(String user) {
        if (context != null) {
            context.close();
        }
        // Not by setHttpCredentials, which stops at each request.
        String credentials =
                Base64.getEncoder().encodeToString((user + ":" + Shop.PASSWORD).getBytes(StandardCharsets.UTF_8));
        BrowserContext opened = checked(chromium)
                .browser()
                .newContext(new NewContextOptions()
                        .setExtraHTTPHeaders(Map.of("Authorization", "Basic " + credentials))
                        .setColorScheme(ColorScheme.LIGHT)
                        .setTimezoneId("UTC")
                        .setViewportSize(1440, 900));
        opened.setDefaultTimeout(PATIENCE);
        Page tab = opened.newPage();
        tab.onPageError(complaints::add);
        tab.onConsoleMessage(this::hear);
        context = opened;
        page = tab;
    }

    /** Requests that fail are part of some tests; whatever else is written as an error is a mistake of the page. */
    private void hear(ConsoleMessage message) {
        if (message.type().equals("error") && !message.text().startsWith("Failed to load resource")) {
            complaints.add(message.text());
        }
    }

    /** {@return the database of the class} */
    static TestDatabase database() {
        return checked(database);
    }

    Page page() {
        return checked(page);
    }

    Shop shop() {
        return checked(shop);
    }

    /** Opens a page of the dashboard by its path, and waits until it shows its heading. */
    Page open(String path) {
        page().navigate(shop().url(path));
        page().waitForFunction("() => document.querySelector('h1')?.textContent");
        return page();
    }

    @Override
    public void afterEach(ExtensionContext test) {
        if (test.getExecutionException().isPresent()) {
            String name = test.getRequiredTestClass().getSimpleName() + "-"
                    + test.getRequiredTestMethod().getName();
            page().screenshot(new Page.ScreenshotOptions().setPath(Path.of("target", "browser", name + ".png")));
        }
        checked(context).close();
        context = null;
        List<String> heard = List.copyOf(complaints);
        complaints.clear();
        assertThat(heard).as("what the page complained about").isEmpty();
    }

    @Override
    public void afterAll(ExtensionContext test) {
        if (shop != null) {
            shop.close();
        }
        if (chromium != null) {
            chromium.close();
        }
    }

    private static <T> T checked(@Nullable T value) {
        if (value == null) {
            throw new IllegalStateException("Not between beforeAll and afterAll");
        }
        return value;
    }
}
