package io.bulwark.console.access;

import io.bulwark.console.ConsoleSettings;
import io.bulwark.console.account.Account;
import io.bulwark.console.http.ApiException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.Map;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;

/** {@code /sign-in}, and the pages that one-time links open: {@code /setup} and {@code /password}. */
@Controller
class SignInPages {
    private static final Map<String, String> NOTICES = Map.of(
            "refused", "This name and password do not match.",
            "locked", "Too many failed sign-ins. Try again in 15 minutes.",
            "busy", "Many persons sign in at this moment. Try again.",
            "provider", "The provider did not sign you in, or gives you no role here.",
            "key",
                    "This is no key that the cluster believes and that has rights on it, or the password or PIN is"
                            + " wrong. The console's log has more.",
            "out", "You signed out.",
            "ready", "The password is set. Sign in with it.");

    private final Setup setup;
    private final boolean hasProvider;
    private final boolean hasKeys;
    private final boolean hasDevice;

    SignInPages(Setup setup, ConsoleSettings settings) {
        this.setup = setup;
        hasProvider = settings.web().oidc().isPresent();
        hasKeys = settings.surroundings().keys().isPresent();
        hasDevice = hasKeys && settings.web().device().isPresent();
    }

    @GetMapping("/sign-in")
    String signIn(HttpServletRequest request, Model model) {
        NOTICES.entrySet().stream()
                .filter(notice -> request.getParameter(notice.getKey()) != null)
                .findFirst()
                .ifPresent(notice -> {
                    model.addAttribute("notice", notice.getValue());
                    model.addAttribute(
                            "bad",
                            !notice.getKey().equals("out") && !notice.getKey().equals("ready"));
                });
        model.addAttribute("hasProvider", hasProvider);
        model.addAttribute("hasKeys", hasKeys);
        model.addAttribute("hasDevice", hasDevice);
        return "access/sign-in";
    }

    @GetMapping("/setup")
    String setup(@RequestParam(defaultValue = "") String token, Model model, HttpServletResponse response) {
        try {
            setup.check(token);
        } catch (ApiException e) {
            return ended(e, model, response);
        }
        return form(true, token, "", "", model);
    }

    @PostMapping("/setup")
    String setUp(
            @RequestParam String token,
            @RequestParam String name,
            @RequestParam String password,
            @RequestParam String again,
            Model model,
            HttpServletRequest request,
            HttpServletResponse response) {
        try {
            requireSame(password, again);
            setup.setUp(token, name, password, request.getRemoteAddr());
            return "redirect:/sign-in?ready";
        } catch (ApiException e) {
            return failed(e, () -> form(true, token, name, e.detail(), model), model, response);
        }
    }

    @GetMapping("/password")
    String password(@RequestParam(defaultValue = "") String token, Model model, HttpServletResponse response) {
        try {
            Account account = setup.accountOfLink(token);
            return form(false, token, account.name(), "", model);
        } catch (ApiException e) {
            return ended(e, model, response);
        }
    }

    @PostMapping("/password")
    String choosePassword(
            @RequestParam String token,
            @RequestParam String password,
            @RequestParam String again,
            Model model,
            HttpServletRequest request,
            HttpServletResponse response) {
        try {
            Account account = setup.accountOfLink(token);
            try {
                requireSame(password, again);
                setup.choosePassword(token, password, request.getRemoteAddr());
                return "redirect:/sign-in?ready";
            } catch (ApiException e) {
                return failed(e, () -> form(false, token, account.name(), e.detail(), model), model, response);
            }
        } catch (ApiException e) {
            return ended(e, model, response);
        }
    }

    static void requireSame(String password, String again) {
        if (!password.equals(again)) {
            throw ApiException.badField("again", "the two passwords differ");
        }
    }

    private interface FormPage {
        String show();
    }

    private static String failed(ApiException failure, FormPage form, Model model, HttpServletResponse response) {
        if (failure.status() == HttpStatus.FORBIDDEN) {
            return ended(failure, model, response);
        }
        response.setStatus(failure.status().value());
        return form.show();
    }

    private static String form(boolean first, String token, String name, String problem, Model model) {
        model.addAttribute("first", first);
        model.addAttribute("token", token);
        model.addAttribute("name", name);
        model.addAttribute("problem", problem);
        return "access/password";
    }

    private static String ended(ApiException failure, Model model, HttpServletResponse response) {
        response.setStatus(failure.status().value());
        model.addAttribute("detail", failure.detail());
        return "access/ended";
    }
}
