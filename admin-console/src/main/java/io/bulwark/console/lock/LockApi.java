package io.bulwark.console.lock;

import io.bulwark.client.LockInfo;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import java.util.Locale;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/locks}. */
@RestController
@RequestMapping("/api/v1/locks")
class LockApi {
    private final SignedIn signedIn;

    LockApi(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    /**
     * A lock.
     *
     * @param ageMillis time since it was given
     * @param closing reason of the round that takes it away; empty while none is open
     */
    record LockEntry(String bucket, String prefix, String holder, long session, long ageMillis, String closing) {
        static LockEntry of(LockInfo lock) {
            return new LockEntry(
                    lock.bucket(),
                    lock.prefix(),
                    lock.holder().toString(),
                    lock.session(),
                    lock.age().toMillis(),
                    lock.closing()
                            .map(reason -> reason.name().toLowerCase(Locale.ROOT))
                            .orElse(""));
        }
    }

    @GetMapping
    @Operation(summary = "Locks that clients hold on parts of buckets: all for administrators, else one's own")
    @ApiResponse(responseCode = "200", description = "All locks")
    Page<LockEntry> list() {
        return Page.whole(entries(signedIn));
    }

    @DeleteMapping
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Take the locks on a part of a bucket away from their holders; completed operations stay")
    @ApiResponse(responseCode = "204", description = "They are being taken away")
    void release(@RequestParam String bucket, @RequestParam(defaultValue = "") String prefix) {
        signedIn.client().locks().release(bucket, prefix);
    }

    static List<LockEntry> entries(SignedIn signedIn) {
        return signedIn.client().locks().list().stream().map(LockEntry::of).toList();
    }
}
