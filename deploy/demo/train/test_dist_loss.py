"""python -m unittest"""

import unittest

import numpy as np
import torch

from dist_loss import dist_loss, inter_class_relation, intra_class_relation, pearson


class DistLoss(unittest.TestCase):
    def setUp(self):
        generator = torch.Generator().manual_seed(7)
        self.a = torch.randn(32, 10, generator=generator, dtype=torch.float64)
        self.b = torch.randn(32, 10, generator=generator, dtype=torch.float64)

    def test_identical_logits_cost_nothing(self):
        self.assertAlmostEqual(dist_loss(self.a, self.a, tau=2.0).item(), 0.0, places=4)

    def test_correlation_equals_numpys(self):
        expected = [np.corrcoef(a, b)[0, 1] for a, b in zip(self.a.numpy(), self.b.numpy())]
        np.testing.assert_allclose(pearson(self.a, self.b).numpy(), expected, atol=1e-7)

    def test_the_whole_loss_equals_a_numpy_computation(self):
        def softmax(z):
            e = np.exp(z - z.max(axis=1, keepdims=True))
            return e / e.sum(axis=1, keepdims=True)

        tau, beta, gamma = 4.0, 1.5, 0.5
        s, t = softmax(self.a.numpy() / tau), softmax(self.b.numpy() / tau)
        inter = 1 - np.mean([np.corrcoef(s[i], t[i])[0, 1] for i in range(s.shape[0])])
        intra = 1 - np.mean([np.corrcoef(s[:, j], t[:, j])[0, 1] for j in range(s.shape[1])])
        expected = tau**2 * (beta * inter + gamma * intra)
        self.assertAlmostEqual(dist_loss(self.a, self.b, beta, gamma, tau).item(), expected, places=5)

    def test_positive_scale_and_shift_of_a_row_or_column_change_nothing(self):
        scale = torch.linspace(0.5, 3.0, 32, dtype=torch.float64).unsqueeze(1)
        moved_rows = scale * self.a + 5 * scale
        torch.testing.assert_close(
            inter_class_relation(moved_rows, self.b), inter_class_relation(self.a, self.b)
        )
        moved_columns = scale[:10].T * self.a - scale[:10].T
        torch.testing.assert_close(
            intra_class_relation(moved_columns, self.b), intra_class_relation(self.a, self.b)
        )

    def test_opposite_predictions_cost_the_most(self):
        self.assertAlmostEqual(inter_class_relation(-self.a, self.a).item(), 2.0, places=6)

    def test_a_constant_row_gives_a_finite_gradient(self):
        student = torch.zeros(4, 10, requires_grad=True)
        dist_loss(student, self.b[:4].float()).backward()
        self.assertTrue(torch.isfinite(student.grad).all())


if __name__ == "__main__":
    unittest.main()
