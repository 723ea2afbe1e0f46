package io.bulwark.console.access;

import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.swagger.v3.oas.annotations.Operation;
import io.swagger.v3.oas.annotations.responses.ApiResponse;
import jakarta.servlet.http.HttpServletRequest;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** {@code POST /api/v1/setup}, for installations without a browser. */
@RestController
class SetupApi {
    private final Setup setup;
    private final Accounts accounts;

    SetupApi(Setup setup, Accounts accounts) {
        this.setup = setup;
        this.accounts = accounts;
    }

    /** @param token of the set-up link */
    record Request(String token, String name, String password) {}

    /** @param token a personal access token, which is shown this once */
    record View(String name, Role role, String token) {}

    @PostMapping(WebSecurity.API_SETUP)
    @ResponseStatus(HttpStatus.CREATED)
    @Operation(
            summary = "Create the first administrator's account by the one-time set-up link",
            description = "Needs no sign-in. The answer has a personal access token of the account.")
    @ApiResponse(responseCode = "201", description = "The account is made, and the link has ended.")
    @ApiResponse(responseCode = "400", description = "The name or the password is refused.")
    @ApiResponse(responseCode = "403", description = "The link was used, or has ended.")
    View setUp(@RequestBody Request body, HttpServletRequest request) {
        Account account = setup.setUp(
                Bodies.text("token", body.token),
                Bodies.text("name", body.name),
                Bodies.text("password", body.password),
                request.getRemoteAddr());
        Accounts.NewToken token = accounts.addToken(account.name(), "set-up", account.role(), Account.TOKEN_DAYS);
        return new View(account.name(), account.role(), token.secret());
    }
}
