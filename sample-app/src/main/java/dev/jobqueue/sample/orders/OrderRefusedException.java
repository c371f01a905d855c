package dev.jobqueue.sample.orders;

import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;

/** The order cannot be placed now. */
final class OrderRefusedException extends ErrorResponseException {

    private static final long serialVersionUID = 1L;

    OrderRefusedException(String detail) {
        super(HttpStatus.CONFLICT);
        setDetail(detail);
    }
}
