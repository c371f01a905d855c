package dev.jobqueue.dashboard;

import jakarta.servlet.http.HttpServletRequest;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells callers apart: by their roles where there is Spring Security, else by whether they are on this machine. */
interface Access {

    /**
     * Return who sent the request.
     *
     * @return the caller; {@code null} if nobody is logged in who could be
     * @throws Refusal for somebody who may not even look
     */
    @Nullable
    Caller caller(HttpServletRequest request);

    /**
     * {@return the header and the token that Spring Security wants with each request that acts; {@code null} if none}
     */
    @Nullable
    Map<String, String> csrf(HttpServletRequest request);
}
