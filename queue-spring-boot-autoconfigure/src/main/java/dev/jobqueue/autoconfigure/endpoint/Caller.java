package dev.jobqueue.autoconfigure.endpoint;

import org.springframework.security.core.Authentication;
import org.springframework.security.core.context.SecurityContextHolder;
import org.springframework.util.ClassUtils;

/**
 * Who calls the endpoint, as far as Spring Security knows. Not an argument of the operations: for any argument that is
 * no part of the path, Boot demands a body.
 */
final class Caller {

    private static final boolean IS_KNOWN = ClassUtils.isPresent(
            "org.springframework.security.core.context.SecurityContextHolder", Caller.class.getClassLoader());

    private Caller() {}

    /** The name of the caller, for the log. */
    static String name() {
        return IS_KNOWN ? Secured.name() : "an anonymous caller";
    }

    /** Apart, because its types may be missing. */
    private static final class Secured {

        static String name() {
            Authentication caller = SecurityContextHolder.getContext().getAuthentication();
            return caller == null ? "an anonymous caller" : "'" + caller.getName() + "'";
        }
    }
}
