package io.bulwark.console.dashboard;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** {@code GET /}, and the part of it that is replaced when the status has changed. */
@Controller
class DashboardPages {
    private final Dashboard dashboard;

    DashboardPages(Dashboard dashboard) {
        this.dashboard = dashboard;
    }

    @GetMapping("/")
    String page(Model model) {
        model.addAttribute("view", dashboard.view());
        return "dashboard/dashboard";
    }

    @GetMapping("/dashboard/part")
    String part(Model model) {
        model.addAttribute("view", dashboard.view());
        return "dashboard/dashboard :: part";
    }
}
