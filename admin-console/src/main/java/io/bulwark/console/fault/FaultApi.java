package io.bulwark.console.fault;

import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/faults}. */
@RestController
@RequestMapping("/api/v1/faults")
class FaultApi {
    private final FaultRecord record;

    FaultApi(FaultRecord record) {
        this.record = record;
    }

    @GetMapping
    @Operation(summary = "Recorded faults of nodes and clients, the newest first")
    Page<FaultView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(record.list(), fault -> Long.toString(fault.number()), limit, cursor);
    }

    @GetMapping("/{number}")
    @Operation(summary = "A fault with its reports and its proof")
    FaultDetail find(@PathVariable long number) {
        return record.find(number);
    }

    /** Sends the proof as a file, which {@code bulwark evidence verify} checks without the cluster. */
    @GetMapping(path = "/{number}/evidence", produces = MediaType.TEXT_PLAIN_VALUE)
    @Operation(summary = "The proof as a file, which `bulwark evidence verify` checks without the cluster")
    @ApiResponse(responseCode = "200", description = "The file")
    @ApiResponse(responseCode = "409", description = "The fault has no proof; the detail says why")
    ResponseEntity<byte[]> evidence(@PathVariable long number) {
        return ResponseEntity.ok()
                .header("Content-Disposition", "attachment; filename=\"bulwark-evidence-" + number + ".txt\"")
                .contentType(new MediaType(MediaType.TEXT_PLAIN, StandardCharsets.UTF_8))
                .body(record.file(number));
    }
}
