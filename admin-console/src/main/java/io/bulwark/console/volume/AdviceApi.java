package io.bulwark.console.volume;

import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/advice}. */
@RestController
@RequestMapping("/api/v1/advice")
class AdviceApi {
    @GetMapping
    @Operation(summary = "Shows what each class of protection costs for objects, and how available it is")
    @ApiResponse(responseCode = "400", description = "A number is impossible")
    @ApiResponse(responseCode = "200", description = "One choice of each class that fits")
    AdviceView advise(
            @RequestParam int nodes,
            @RequestParam(defaultValue = "1") int faults,
            @RequestParam(defaultValue = "0.99") double availability,
            @RequestParam(defaultValue = "1e-6") double target,
            @RequestParam(required = false) @Nullable Double price) {
        return AdviceView.of(nodes, faults, availability, target, price);
    }
}
