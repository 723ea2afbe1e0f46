package io.bulwark.console.fault;

import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import org.jspecify.annotations.Nullable;
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
    Page<FaultView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(record.list(), FaultView::id, limit, cursor);
    }

    @GetMapping("/{id}")
    FaultDetail find(@PathVariable String id) {
        return record.find(id);
    }
}
