package io.bulwark.console.accesskey;

import io.bulwark.console.http.EntityTag;
import io.bulwark.console.http.Page;
import io.bulwark.console.http.Paging;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Gateways;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.net.URI;
import java.util.List;
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

/** {@code /api/v1/access-keys} and {@code /api/v1/gateways}. */
@RestController
@RequestMapping("/api/v1")
class AccessKeyApi {
    private final AccessKeyDirectory directory;

    AccessKeyApi(AccessKeyDirectory directory) {
        this.directory = directory;
    }

    /**
     * Rotation of a key.
     *
     * @param hours time for which the old key stays valid; 24 if it is missing
     */
    record Rotation(@Nullable Integer hours) {}

    /** Places that a key reaches; empty for all that the person may reach. */
    record Limits(@Nullable List<AccessKeyView.@Nullable Place> limits) {}

    /**
     * The gateways.
     *
     * @param gateways clients
     * @param keeper operator who can seal the secrets for further gateways; null if there is none
     * @param anonymous client whose rights requests without a signature have; null if they are refused
     */
    record GatewaysView(
            List<String> gateways,
            @Nullable String keeper,
            @Nullable String anonymous) {
        static GatewaysView of(Gateways gateways) {
            return new GatewaysView(
                    gateways.doors().stream().map(PrincipalId::toString).toList(),
                    named(gateways.keeper()),
                    named(gateways.anonymous()));
        }

        private static @Nullable String named(PrincipalId principal) {
            return principal.equals(PrincipalId.NOBODY) ? null : principal.toString();
        }
    }

    @GetMapping("/access-keys")
    @Operation(summary = "Access keys of the S3 gateways, without their secrets")
    Page<AccessKeyView> list(
            @RequestParam(defaultValue = "100") int limit, @RequestParam(required = false) @Nullable String cursor) {
        return Paging.of(directory.list(), AccessKeyView::id, limit, cursor);
    }

    @PostMapping("/access-keys")
    @Operation(summary = "Make an access key, and a person for it if none is named")
    @ApiResponse(responseCode = "201", description = "The key; its secret is shown this once")
    ResponseEntity<AccessKeyView.Issued> create(@RequestBody AccessKeyDirectory.NewAccessKey body) {
        return issued(directory.create(body));
    }

    @GetMapping("/access-keys/{id}")
    @Operation(summary = "An access key, without its secret")
    ResponseEntity<AccessKeyView> find(@PathVariable String id) {
        return tagged(directory.find(id));
    }

    @PostMapping("/access-keys/{id}/rotation")
    @Operation(summary = "Make another key in place of one; both are valid for a time")
    @ApiResponse(responseCode = "201", description = "The new key; its secret is shown this once")
    ResponseEntity<AccessKeyView.Issued> rotate(@PathVariable String id, @RequestBody Rotation body) {
        Integer hours = body.hours();
        return issued(directory.rotate(id, hours == null ? 24 : hours));
    }

    @PutMapping("/access-keys/{id}/limits")
    @Operation(summary = "Replace the places that an access key reaches")
    ResponseEntity<AccessKeyView> limit(
            @PathVariable String id,
            @RequestBody Limits body,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        return tagged(directory.limit(id, body.limits(), ifMatch));
    }

    @DeleteMapping("/access-keys/{id}")
    @Operation(summary = "Revoke an access key for good; gateways refuse it within seconds")
    @ApiResponse(responseCode = "204", description = "It is revoked")
    ResponseEntity<Void> revoke(
            @PathVariable String id, @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        directory.revoke(id, ifMatch);
        return ResponseEntity.noContent().build();
    }

    @GetMapping("/gateways")
    @Operation(summary = "The clients that are S3 gateways")
    GatewaysView gateways() {
        return GatewaysView.of(directory.gateways());
    }

    private static ResponseEntity<AccessKeyView.Issued> issued(AccessKeyView.Issued issued) {
        return ResponseEntity.created(
                        URI.create("/api/v1/access-keys/" + issued.key().id()))
                .header("Cache-Control", "no-store")
                .body(issued);
    }

    private static ResponseEntity<AccessKeyView> tagged(AccessKeyView view) {
        return ResponseEntity.ok().eTag(EntityTag.of(view).text()).body(view);
    }
}
