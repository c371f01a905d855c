/** The dashboard in a real browser, on a real database. */
@NullMarked
package dev.jobqueue.dashboard.browser;

import org.jspecify.annotations.NullMarked;
