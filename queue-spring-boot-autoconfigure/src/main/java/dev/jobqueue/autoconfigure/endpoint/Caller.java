package dev.jobqueue.autoconfigure.endpoint;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/**
 * The caller of the endpoint, if Spring Security knows it. It is not an argument of the operations, because Boot
 * demands a body for every argument that is not part of the path.
 */
final class Caller {

    private static final boolean IS_KNOWN = ClassUtils.isPresent(
            "org.springframework.security.core.context.SecurityContextHolder", Caller.class.getClassLoader());

    private Caller() {}

    /** The name of the caller, for the log. */
    static String name() {
        return IS_KNOWN ? Secured.name() : "an anonymous caller";
    }

    /** A class of its own, because the types of Spring Security may be missing. */
    private static final class Secured {

        static String name() {
            Authentication caller = SecurityContextHolder.getContext().getAuthentication();
            return caller == null ? "an anonymous caller" : "'" + caller.getName() + "'";
        }
    }
}
