package io.bulwark.console.access;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Failures;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.function.Supplier;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.servlet.support.ServletUriComponentsBuilder;

/** {@code /accounts}, for administrators. */
@Controller
class AccountsPages {
    private final AccountAdministration administration;
    private final Accounts accounts;
    private final AccessLog log;
    private final ConsoleSettings settings;

    AccountsPages(AccountAdministration administration, Accounts accounts, AccessLog log, ConsoleSettings settings) {
        this.administration = administration;
        this.accounts = accounts;
        this.log = log;
        this.settings = settings;
    }

    /** Returns the path of the page on which the person chooses a password. */
    static String path(AccountAdministration.Invitation invitation) {
        return "/password?token=" + invitation.token();
    }

    @GetMapping("/accounts")
    String list(Model model) {
        return show("", model);
    }

    @PostMapping("/accounts")
    String create(
            @RequestParam String name,
            @RequestParam String role,
            Model model,
            HttpServletRequest request,
            HttpServletResponse response) {
        return invited(() -> administration.create(name, Bodies.role(role), request.getRemoteAddr()), model, response);
    }

    @PostMapping("/accounts/{name}/link")
    String invite(@PathVariable String name, Model model, HttpServletRequest request, HttpServletResponse response) {
        return invited(() -> administration.invite(name, request.getRemoteAddr()), model, response);
    }

    @PostMapping("/accounts/{name}/deactivate")
    String deactivate(
            @PathVariable String name,
            @RequestParam String confirmed,
            Model model,
            HttpServletRequest request,
            HttpServletResponse response) {
        if (!confirmed.equals(name)) {
            response.setStatus(HttpStatus.BAD_REQUEST.value());
            return show("Type the name " + name + " to deactivate this account.", model);
        }
        try {
            administration.deactivate(name, request.getRemoteAddr());
            return "redirect:/accounts";
        } catch (ApiException e) {
            response.setStatus(e.status().value());
            return show(e.detail(), model);
        }
    }

    private String invited(Supplier<AccountAdministration.Invitation> work, Model model, HttpServletResponse response) {
        try {
            AccountAdministration.Invitation invitation = work.get();
            String base = settings.web()
                    .url()
                    .map(url -> url.toString().replaceAll("/+$", ""))
                    .orElseGet(() -> ServletUriComponentsBuilder.fromCurrentContextPath()
                            .build()
                            .toUriString());
            model.addAttribute("invited", invitation.account().name());
            model.addAttribute("link", base + path(invitation));
            return show("", model);
        } catch (ApiException e) {
            response.setStatus(e.status().value());
            return show(e.detail(), model);
        } catch (BulwarkException e) {
            response.setStatus(Failures.statusOf(e).value());
            return show(String.valueOf(e.getMessage()), model);
        }
    }

    private String show(String problem, Model model) {
        model.addAttribute("accounts", accounts.list());
        model.addAttribute("roles", Role.values());
        model.addAttribute("activity", log.last().stream().limit(100).toList());
        model.addAttribute("problem", problem);
        return "access/accounts";
    }
}
