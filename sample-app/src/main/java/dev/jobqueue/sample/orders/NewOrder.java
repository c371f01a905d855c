package dev.jobqueue.sample.orders;

import jakarta.validation.constraints.Email;
import jakarta.validation.constraints.NotBlank;
import jakarta.validation.constraints.NotNull;
import jakarta.validation.constraints.PositiveOrZero;
import java.math.BigDecimal;

/** An order as a customer places it. */
record NewOrder(
        @NotBlank String customer,
        @NotBlank @Email String email,
        @NotNull @PositiveOrZero BigDecimal total) {}
