package io.bulwark.console.job;

import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;

/** {@code /jobs}: the list, and a job with its progress. */
@Controller
class JobPages {
    private final Jobs jobs;

    JobPages(Jobs jobs) {
        this.jobs = jobs;
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
        jobs.cancel(id);
        model.addAttribute("job", jobs.find(id).view());
        return "job/job :: part";
    }
}
