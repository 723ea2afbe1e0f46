package io.bulwark.console.webhook;

import io.bulwark.console.http.EntityTag;
import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URI;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/webhooks}. */
@RestController
@RequestMapping("/api/v1/webhooks")
class WebhookApi {
    private final WebhookDirectory directory;

    WebhookApi(WebhookDirectory directory) {
        this.directory = directory;
    }

    /** A webhook to create. */
    record NewWebhook(@Nullable String name, @Nullable String url) {}

    /** Another address of a webhook. */
    record Address(@Nullable String url) {}

    /**
     * Rotation of a secret.
     *
     * @param hours time for which the old access key stays; 24 if it is missing
     */
    record SecretRotation(@Nullable Integer hours) {}

    @GetMapping
    @Operation(summary = "Webhooks that S3 gateways notify, without their secrets")
    Page<WebhookView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(directory.list(), WebhookView::name, limit, cursor);
    }

    @PostMapping
    @Operation(summary = "Create a webhook, which owners of buckets may then choose")
    @ApiResponse(responseCode = "201", description = "The webhook; its secret is shown this once")
    ResponseEntity<WebhookView.Issued> create(@RequestBody NewWebhook body) {
        return issued(directory.create(body.name(), body.url()));
    }

    @GetMapping("/{name}")
    @Operation(summary = "A webhook, without its secret")
    ResponseEntity<WebhookView> find(@PathVariable String name) {
        return tagged(directory.find(name));
    }

    @PutMapping("/{name}")
    @Operation(summary = "Give a webhook another URL; its secret stays")
    ResponseEntity<WebhookView> change(
            @PathVariable String name,
            @RequestBody Address body,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return tagged(directory.change(name, body.url(), ifMatch));
    }

    @PostMapping("/{name}/rotation")
    @Operation(summary = "Give a webhook another secret")
    @ApiResponse(responseCode = "201", description = "The webhook; its new secret is shown this once")
    ResponseEntity<WebhookView.Issued> rotate(@PathVariable String name, @RequestBody SecretRotation body) {
        Integer hours = body.hours();
        return issued(directory.rotate(name, hours == null ? 24 : hours));
    }

    @DeleteMapping("/{name}")
    @Operation(summary = "Remove a webhook; events for it wait in their buckets")
    @ApiResponse(responseCode = "204", description = "It is removed")
    ResponseEntity<Void> remove(
            @PathVariable String name, @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        directory.remove(name, ifMatch);
        return ResponseEntity.noContent().build();
    }

    private static ResponseEntity<WebhookView.Issued> issued(WebhookView.Issued issued) {
        return ResponseEntity.created(
                        URI.create("/api/v1/webhooks/" + issued.webhook().name()))
                .header("Cache-Control", "no-store")
                .body(issued);
    }

    private static ResponseEntity<WebhookView> tagged(WebhookView view) {
        return ResponseEntity.ok().eTag(EntityTag.of(view).text()).body(view);
    }
}
