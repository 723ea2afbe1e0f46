package io.bulwark.console.page;

import io.bulwark.client.error.BulwarkException;
import io.bulwark.console.access.SignedIn;
import io.bulwark.console.account.Role;
import io.bulwark.console.http.ApiException;
import io.bulwark.console.http.Failures;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.ControllerAdvice;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.ModelAttribute;
import org.springframework.web.servlet.ModelAndView;

/** Parts that all pages show: the navigation, the person's name, and errors as a page, or as a notice where htmx asks. */
@ControllerAdvice(annotations = Controller.class)
class PageAdvice {
    private final SignedIn signedIn;

    PageAdvice(SignedIn signedIn) {
        this.signedIn = signedIn;
    }

    @ModelAttribute("person")
    String person() {
        return signedIn.name();
    }

    /** Parts of pages that need a higher role are hidden; the rules by path refuse them in any case. */
    @ModelAttribute("role")
    String role() {
        return signedIn.role().map(Role::toString).orElse("");
    }

    @ModelAttribute("sections")
    List<Navigation.Section> sections(HttpServletRequest request) {
        return Navigation.sections(request.getRequestURI());
    }

    @ExceptionHandler
    ModelAndView refused(ApiException refusal, HttpServletRequest request) {
        return error(refusal.status(), refusal.detail(), request);
    }

    @ExceptionHandler
    ModelAndView failed(BulwarkException failure, HttpServletRequest request) {
        return error(Failures.statusOf(failure), String.valueOf(failure.getMessage()), request);
    }

    private ModelAndView error(HttpStatus status, String detail, HttpServletRequest request) {
        boolean part = "true".equals(request.getHeader("HX-Request"));
        ModelAndView page = new ModelAndView(part ? "error :: notice" : "error");
        page.setStatus(status);
        page.addObject("status", status.value());
        page.addObject("reason", status.getReasonPhrase());
        page.addObject("detail", detail);
        page.addObject("person", signedIn.name());
        page.addObject("role", role());
        page.addObject("sections", Navigation.sections(request.getRequestURI()));
        return page;
    }
}
