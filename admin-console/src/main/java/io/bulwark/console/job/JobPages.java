package io.bulwark.console.job;

import io.bulwark.console.access.SignedIn;
import io.bulwark.console.account.Role;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** {@code /jobs}: the list, and a job with its progress. */
@Controller
class JobPages {
    private final Jobs jobs;
    private final SignedIn signedIn;

    JobPages(Jobs jobs, SignedIn signedIn) {
        this.jobs = jobs;
        this.signedIn = signedIn;
    }

    @GetMapping("/jobs")
    String list(Model model) {
        model.addAttribute("jobs", jobs.list());
        return "job/jobs";
    }

    @GetMapping("/jobs/part")
    String listPart(Model model) {
        model.addAttribute("jobs", jobs.list());
        return "job/jobs :: part";
    }

    @GetMapping("/jobs/{id}")
    String page(@PathVariable long id, Model model) {
        model.addAttribute("job", jobs.find(id).view());
        return "job/job";
    }

    @GetMapping("/jobs/{id}/part")
    String part(@PathVariable long id, Model model) {
        model.addAttribute("job", jobs.find(id).view());
        return "job/job :: part";
    }

    @PostMapping("/jobs/{id}/cancel")
    String cancel(@PathVariable long id, Model model) {
        jobs.cancel(id, signedIn.name(), signedIn.has(Role.ADMINISTRATOR));
        model.addAttribute("job", jobs.find(id).view());
        return "job/job :: part";
    }
}
