package io.bulwark.console.dashboard;

import io.bulwark.console.StatusView;
import io.bulwark.console.live.ClusterWatch;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** {@code GET /}. */
@Controller
class DashboardPages {
    private final ClusterWatch watch;

    DashboardPages(ClusterWatch watch) {
        this.watch = watch;
    }

    @GetMapping("/")
    String dashboard(Model model) {
        model.addAttribute("status", StatusView.of(watch.now().status()));
        return "dashboard/dashboard";
    }
}
