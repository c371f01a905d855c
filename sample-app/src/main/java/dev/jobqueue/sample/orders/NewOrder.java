package dev.jobqueue.sample.orders;

import jakarta.validation.constraints.Digits;
import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.Pattern;
import jakarta.validation.constraints.PositiveOrZero;
import jakarta.validation.constraints.Size;
import java.math.BigDecimal;

/** An order as a customer places it; what passes here can be stored. */
record NewOrder(
        @NotBlank
        @Size(max = 200)
        @Pattern(regexp = NewOrder.PRINTABLE, message = "must not contain control characters")
        String customer,

        @NotBlank @Email @Size(max = 254) String email,

        @NotNull @PositiveOrZero @Digits(integer = 10, fraction = 2)
        BigDecimal total) {

    /** PostgreSQL stores neither NUL nor half of a surrogate pair. */
    static final String PRINTABLE = "[^\\p{Cntrl}\\p{Cs}]*";
}
