package dev.jobqueue.sample.orders;

import dev.jobqueue.sample.orders.OrderService.PlacedOrder;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

@RestController
@RequestMapping("/orders")
class OrderController {

    private final OrderService orders;

    OrderController(OrderService orders) {
        this.orders = orders;
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    PlacedOrder place(@Valid @RequestBody NewOrder order, @RequestParam(defaultValue = "false") boolean fail) {
        return orders.place(order, fail);
    }

    @PostMapping("/bulk")
    @ResponseStatus(HttpStatus.ACCEPTED)
    Map<String, Integer> remind(@RequestParam @Min(1) @Max(100_000) int count) {
        return Map.of("count", orders.remind(count));
    }
}
