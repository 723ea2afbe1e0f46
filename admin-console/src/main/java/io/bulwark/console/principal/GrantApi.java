package io.bulwark.console.principal;

import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.Rights;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/grants}. */
@RestController
@RequestMapping("/api/v1/grants")
class GrantApi {
    private final PrincipalDirectory directory;

    GrantApi(PrincipalDirectory directory) {
        this.directory = directory;
    }

    /**
     * Rights for a client on a scope, in place of those that it has on just this scope.
     *
     * @param scope {@code cluster}, {@code volume} or {@code bucket}
     * @param name of the volume or bucket
     * @param rights of {@code read}, {@code write}, {@code administer}
     */
    record NewGrant(
            @Nullable String client,
            @Nullable String scope,
            @Nullable String name,
            @Nullable List<String> rights) {}

    /** The grants of a client; at most a thousand. */
    record Grants(String client, List<GrantView> grants) {}

    @GetMapping
    @Operation(summary = "Grants of a client")
    @ApiResponse(responseCode = "200", description = "All grants of the client")
    @ApiResponse(responseCode = "404", description = "There is no such client")
    ResponseEntity<Grants> list(@RequestParam String client) {
        PrincipalId id = PrincipalDirectory.named("client", client);
        List<GrantView> grants = directory.grants(id);
        if (grants.isEmpty()) {
            // A client without any grant, or none at all.
            directory.require(id);
        }
        return tagged(id, grants);
    }

    @PutMapping
    @Operation(summary = "Give a client rights on a scope, in place of those on just this scope")
    @ApiResponse(responseCode = "200", description = "All grants of the client")
    @ApiResponse(responseCode = "404", description = "There is no such volume or bucket")
    ResponseEntity<Grants> grant(
            @RequestBody NewGrant body, @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        PrincipalId id = PrincipalDirectory.named("client", body.client());
        return tagged(
                id,
                directory.grant(
                        id, GrantView.scope(body.scope(), body.name()), GrantView.rights(body.rights()), ifMatch));
    }

    @DeleteMapping
    @Operation(summary = "Take the rights of a client on a scope away")
    @ApiResponse(responseCode = "200", description = "All grants of the client")
    @ApiResponse(responseCode = "404", description = "There is no such volume or bucket")
    ResponseEntity<Grants> remove(
            @RequestParam String client,
            @RequestParam String scope,
            @RequestParam(required = false) @Nullable String name,
            @RequestHeader(name = "If-Match", required = false) @Nullable String ifMatch) {
        PrincipalId id = PrincipalDirectory.named("client", client);
        return tagged(id, directory.grant(id, GrantView.scope(scope, name), Rights.NONE, ifMatch));
    }

    private static ResponseEntity<Grants> tagged(PrincipalId id, List<GrantView> grants) {
        return ResponseEntity.ok()
                .eTag(PrincipalDirectory.tagOf(grants).text())
                .body(new Grants(id.toString(), grants));
    }
}
