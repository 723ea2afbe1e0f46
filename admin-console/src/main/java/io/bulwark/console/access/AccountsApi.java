package io.bulwark.console.access;

import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Page;
import io.bulwark.protocol.id.PrincipalId;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestHeader;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code /api/v1/accounts}, for administrators. */
@RestController
@RequestMapping("/api/v1/accounts")
class AccountsApi {
    private static final int LIMIT_MAX = 1000;

    private final AccountAdministration administration;
    private final Accounts accounts;

    AccountsApi(AccountAdministration administration, Accounts accounts) {
        this.administration = administration;
        this.accounts = accounts;
    }

    /**
     * An account.
     *
     * @param principal for which the console acts, such as {@code client-16}
     * @param hasPassword false until the person has chosen one by the link
     * @param failures failed sign-ins since the last good one
     */
    record View(
            String name,
            Role role,
            String principal,
            Instant created,
            boolean active,
            boolean hasPassword,
            int failures,
            @Nullable Instant lockedUntil,
            int tokens) {
        static View of(Account account) {
            return new View(
                    account.name(),
                    account.role(),
                    PrincipalId.client(account.principal()).toString(),
                    account.created(),
                    account.active(),
                    account.passwordHash() != null,
                    account.failures().count(),
                    account.failures().lockedUntil(),
                    account.tokens().size());
        }
    }

    /** @param link path of the one-time page on which the person chooses a password; shown this once */
    record InvitationView(View account, String link) {
        static InvitationView of(AccountAdministration.Invitation invitation) {
            return new InvitationView(View.of(invitation.account()), AccountsPages.path(invitation));
        }
    }

    record Request(@Nullable String name, @Nullable String role) {}

    @GetMapping
    @Operation(summary = "Local accounts by name")
    @ApiResponse(responseCode = "403", description = "The person is no administrator.")
    @ApiResponse(responseCode = "200", description = "A part of the accounts")
    Page<View> list(@RequestParam(defaultValue = "100") int limit, @RequestParam(defaultValue = "") String cursor) {
        if (limit < 1 || limit > LIMIT_MAX) {
            throw ApiException.badField("limit", "a page has 1 to " + LIMIT_MAX + " entries");
        }
        List<Account> following = accounts.list().stream()
                .filter(account -> account.name().compareTo(cursor) > 0)
                .limit(limit + 1L)
                .toList();
        List<View> page = following.stream().limit(limit).map(View::of).toList();
        return new Page<>(page, following.size() > limit ? page.getLast().name() : null);
    }

    @GetMapping("/{name}")
    @Operation(summary = "A local account")
    @ApiResponse(responseCode = "404", description = "There is no such account.")
    @ApiResponse(responseCode = "200", description = "The account; its `ETag` is for `If-Match`")
    ResponseEntity<View> find(@PathVariable String name) {
        Account account = accounts.require(name);
        return ResponseEntity.ok().eTag(tag(account)).body(View.of(account));
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    @Operation(summary = "Create an account; its person chooses a password by the link, which is shown once")
    @ApiResponse(responseCode = "400", description = "The name or the role is refused.")
    @ApiResponse(responseCode = "409", description = "There is an account of this name.")
    InvitationView create(@RequestBody Request body, HttpServletRequest request) {
        return InvitationView.of(
                administration.create(Bodies.text("name", body.name), Bodies.role(body.role), request.getRemoteAddr()));
    }

    @PostMapping("/{name}/link")
    @ResponseStatus(HttpStatus.CREATED)
    @Operation(summary = "Make another link, for a person who lost the password")
    @ApiResponse(responseCode = "404", description = "There is no such account.")
    @ApiResponse(responseCode = "409", description = "The account was deactivated.")
    InvitationView invite(@PathVariable String name, HttpServletRequest request) {
        return InvitationView.of(administration.invite(name, request.getRemoteAddr()));
    }

    @DeleteMapping("/{name}")
    @Operation(
            summary = "Deactivate an account for good",
            description = "Its sessions and tokens end, and its principal is revoked.")
    @ApiResponse(responseCode = "404", description = "There is no such account.")
    @ApiResponse(responseCode = "409", description = "It is the account of the person who asks.")
    @ApiResponse(responseCode = "412", description = "The account changed since If-Match was read.")
    @ApiResponse(responseCode = "200", description = "The account, which is not active any more")
    View deactivate(
            @PathVariable String name,
            @RequestHeader(name = HttpHeaders.IF_MATCH, required = false) @Nullable String tag,
            HttpServletRequest request) {
        if (tag != null && !tag.equals("*") && !tag.equals(tag(accounts.require(name)))) {
            throw ApiException.changedMeanwhile("the account " + name + " changed meanwhile");
        }
        return View.of(administration.deactivate(name, request.getRemoteAddr()));
    }

    private static String tag(Account account) {
        return "\"" + account.version() + "\"";
    }
}
