package io.bulwark.console.access;

import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.Page;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/account}: the account of the person who asks. */
@RestController
@RequestMapping("/api/v1/account")
class AccountApi {
    private final SignedIn signedIn;
    private final OwnAccount own;
    private final AccessLog log;

    AccountApi(SignedIn signedIn, OwnAccount own, AccessLog log) {
        this.signedIn = signedIn;
        this.own = own;
        this.log = log;
    }

    /**
     * The person.
     *
     * @param principal for which the console acts, such as {@code client-16}; the owner of the key if the means is one
     * @param means password, token, oidc or key
     */
    record View(String name, Role role, String principal, String means) {}

    record TokenView(String id, String label, Role role, Instant created, Instant ends) {
        static TokenView of(Account.Token token) {
            return new TokenView(token.id(), token.label(), token.role(), token.created(), token.ends());
        }
    }

    /** @param secret the token itself, which is shown this once */
    record NewTokenView(String id, String label, Role role, Instant ends, String secret) {}

    /** @param days for which the token is valid; 90 if it is missing */
    record TokenRequest(
            @Nullable String label,
            @Nullable String role,
            @Nullable Integer days) {}

    record PasswordRequest(
            @Nullable String present, @Nullable String password) {}

    @GetMapping
    @Operation(summary = "Who asks, and with which rights")
    View find() {
        Person person = signedIn.person();
        return new View(
                person.name(),
                person.role(),
                signedIn.principal().toString(),
                person.means().name().toLowerCase(Locale.ROOT));
    }

    @GetMapping("/activity")
    @Operation(summary = "Sign-ins and changes of the account, as the console recorded them; the newest first")
    Page<AccessLog.Entry> activity() {
        return Page.whole(log.last(signedIn.person().name()));
    }

    @GetMapping("/tokens")
    @Operation(summary = "Personal access tokens of the account")
    @ApiResponse(
            responseCode = "404",
            description = "The person signs in through a provider or with a key, and has no account here.")
    @ApiResponse(responseCode = "200", description = "All tokens, without their secrets")
    Page<TokenView> tokens() {
        return Page.whole(own.find().tokens().stream().map(TokenView::of).toList());
    }

    @PostMapping("/tokens")
    @ResponseStatus(HttpStatus.CREATED)
    @Operation(summary = "Create a personal access token", description = "Only from a session, not with a token.")
    @ApiResponse(responseCode = "400", description = "The label, the role or the number of days is refused.")
    @ApiResponse(responseCode = "403", description = "The role is higher than the person's, or a token asks.")
    @ApiResponse(responseCode = "409", description = "The account has as many tokens as it may have.")
    NewTokenView addToken(@RequestBody TokenRequest body, HttpServletRequest request) {
        Accounts.NewToken made = own.addToken(
                Bodies.text("label", body.label),
                Bodies.role(body.role),
                body.days == null ? Account.TOKEN_DAYS : body.days,
                request.getRemoteAddr());
        return new NewTokenView(
                made.token().id(),
                made.token().label(),
                made.token().role(),
                made.token().ends(),
                made.secret());
    }

    @DeleteMapping("/tokens/{id}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Withdraw a personal access token", description = "Only from a session, not with a token.")
    @ApiResponse(responseCode = "404", description = "There is no such token.")
    void removeToken(@PathVariable String id, HttpServletRequest request) {
        own.removeToken(id, request.getRemoteAddr());
    }

    @PostMapping("/password")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    @Operation(summary = "Set another password", description = "Only from a session. All sessions of the account end.")
    @ApiResponse(responseCode = "400", description = "The present password is wrong, or the new one is refused.")
    void changePassword(@RequestBody PasswordRequest body, HttpServletRequest request) {
        own.changePassword(
                Bodies.text("present", body.present), Bodies.text("password", body.password), request.getRemoteAddr());
    }
}
