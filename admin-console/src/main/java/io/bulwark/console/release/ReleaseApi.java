package io.bulwark.console.release;

import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/releases}. */
@RestController
@RequestMapping("/api/v1/releases")
class ReleaseApi {
    private final SignedIn signedIn;

    ReleaseApi(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    @GetMapping
    @Operation(
            summary = "SHA-256 of the releases from which supervisors may start replicas; none means that none is"
                    + " checked")
    @ApiResponse(responseCode = "200", description = "All allowed releases")
    Page<String> list() {
        return Page.whole(signedIn.client().releases().allowed());
    }

    @PutMapping("/{hash}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Allow a release, for example before an upgrade")
    @ApiResponse(responseCode = "204", description = "It is allowed")
    @ApiResponse(responseCode = "400", description = "This is no SHA-256 in hexadecimal")
    void allow(@PathVariable String hash) {
        signedIn.client().releases().allow(checked(hash));
    }

    @DeleteMapping("/{hash}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Allow a release no more; without any, releases are not checked")
    @ApiResponse(responseCode = "204", description = "It is not allowed any more")
    @ApiResponse(responseCode = "400", description = "This is no SHA-256 in hexadecimal")
    @ApiResponse(responseCode = "404", description = "It was not allowed")
    void forget(@PathVariable String hash) {
        String checked = checked(hash);
        if (!signedIn.client().releases().allowed().contains(checked)) {
            throw ApiException.notFound("this release is not allowed");
        }
        signedIn.client().releases().forget(checked);
    }

    static String checked(String hash) {
        String text = hash.strip();
        if (!text.matches("[0-9a-f]{64}")) {
            throw ApiException.badField(
                    "hash", "a SHA-256 in lower-case hexadecimal is wanted, as `bulwark release hash` prints it");
        }
        return text;
    }
}
