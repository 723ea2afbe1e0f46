package io.bulwark.console.fault;

import io.bulwark.console.access.SignedIn;
import io.bulwark.console.http.ApiException;
import io.bulwark.protocol.id.PrincipalId;
import io.bulwark.protocol.metadata.ThreatPolicy;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/threat}. */
@RestController
@RequestMapping("/api/v1/threat")
class ThreatApi {
    private final SignedIn signedIn;

    ThreatApi(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    /** Alarm: the levels by which the threat level moves, 1 if none are given. */
    record Alarm(@Nullable Integer levels, @Nullable String reason) {
        int moved() {
            return levels == null ? 1 : levels;
        }

        String text() {
            return reason == null ? "" : reason;
        }
    }

    /**
     * Rules of the threat level.
     *
     * @param feeds clients that may raise it
     * @param calmSeconds time without alarm after which it falls by one; 0 for never
     */
    record Rules(@Nullable List<String> feeds, int calmSeconds) {}

    @GetMapping
    @Operation(summary = "The threat level, and the volumes that follow it")
    ThreatView show() {
        return ThreatView.of(signedIn.client().alarms().state());
    }

    @PostMapping("/raise")
    @Operation(summary = "Raise the threat level: an alarm from outside")
    @ApiResponse(responseCode = "400", description = "The level does not move by so many, or the reason is too long")
    @ApiResponse(responseCode = "200", description = "The level as it is now")
    ThreatView raise(@RequestBody Alarm alarm) {
        signedIn.client().alarms().raise(alarm.moved(), alarm.text());
        return show();
    }

    @PostMapping("/lower")
    @Operation(summary = "Lower the threat level")
    @ApiResponse(responseCode = "400", description = "The level does not move by so many, or the reason is too long")
    @ApiResponse(responseCode = "200", description = "The level as it is now")
    ThreatView lower(@RequestBody Alarm alarm) {
        signedIn.client().alarms().lower(alarm.moved(), alarm.text());
        return show();
    }

    @PutMapping("/policy")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Set who may raise the threat level, and whether it falls with time")
    @ApiResponse(responseCode = "204", description = "It is set")
    @ApiResponse(responseCode = "400", description = "A feed is no client, or a number is out of its bounds")
    void set(@RequestBody Rules rules) {
        List<String> feeds = rules.feeds() == null ? List.of() : rules.feeds();
        try {
            signedIn.client()
                    .alarms()
                    .set(new ThreatPolicy(feeds.stream().map(PrincipalId::parse).toList(), rules.calmSeconds()));
        } catch (IllegalArgumentException e) {
            throw ApiException.badField("policy", String.valueOf(e.getMessage()));
        }
    }
}
