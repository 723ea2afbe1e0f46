package io.bulwark.console.access;

import io.bulwark.console.account.AccessLog;
import io.bulwark.console.account.Account;
import io.bulwark.console.account.Accounts;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.stream.Stream;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /account}: the person's own account. */
@Controller
class AccountPages {
    private final SignedIn signedIn;
    private final OwnAccount own;
    private final AccessLog log;

    AccountPages(SignedIn signedIn, OwnAccount own, AccessLog log) {
        this.signedIn = signedIn;
        this.own = own;
        this.log = log;
    }

    @GetMapping("/account")
    String account(Model model) {
        return show("", model);
    }

    @PostMapping("/account/tokens")
    String addToken(
            @RequestParam String label,
            @RequestParam String role,
            @RequestParam(defaultValue = "" + Account.TOKEN_DAYS) int days,
            Model model,
            HttpServletRequest request,
            HttpServletResponse response) {
        try {
            Accounts.NewToken made = own.addToken(label, Bodies.role(role), days, request.getRemoteAddr());
            model.addAttribute("secret", made.secret());
            return show("", model);
        } catch (ApiException e) {
            response.setStatus(e.status().value());
            return show(e.detail(), model);
        }
    }

    @PostMapping("/account/tokens/{id}/withdraw")
    String removeToken(@PathVariable String id, HttpServletRequest request) {
        own.removeToken(id, request.getRemoteAddr());
        return "redirect:/account";
    }

    @PostMapping("/account/password")
    String changePassword(
            @RequestParam String present,
            @RequestParam String password,
            @RequestParam String again,
            Model model,
            HttpServletRequest request,
            HttpServletResponse response) {
        try {
            SignInPages.requireSame(password, again);
            own.changePassword(present, password, request.getRemoteAddr());
            return "redirect:/sign-in?ready";
        } catch (ApiException e) {
            response.setStatus(e.status().value());
            return show(e.detail(), model);
        }
    }

    private String show(String problem, Model model) {
        Person person = signedIn.person();
        model.addAttribute("self", person);
        model.addAttribute("local", person.isLocal());
        model.addAttribute("administrator", person.role() == Role.ADMINISTRATOR);
        model.addAttribute(
                "roles",
                Stream.of(Role.values()).filter(person.role()::includes).toList());
        if (person.isLocal()) {
            model.addAttribute("tokens", own.find().tokens());
        }
        model.addAttribute(
                "activity", log.last(person.name()).stream().limit(50).toList());
        model.addAttribute("problem", problem);
        return "access/account";
    }
}
